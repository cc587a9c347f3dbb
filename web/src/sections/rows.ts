// The code of the page's sections about running rows, as one file: what is near on the page and alike in code is smaller
// and quicker together. An element alone is loaded by embed.ts.

import '../elements/lanes';
import '../elements/cache';
