// The code of the page's sections about where a bundle comes from, as one file (see rows.ts).

import '../elements/training';
import '../elements/bundle';
