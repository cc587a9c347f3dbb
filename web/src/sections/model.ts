// The code of the page's sections that look into the model, break it, train one and tell where it comes from, as one file
// (see rows.ts).

import '../elements/sampling';
import '../elements/inside';
import '../elements/faults';
import '../elements/training';
import '../elements/bundle';
