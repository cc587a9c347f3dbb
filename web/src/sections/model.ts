// The code of the page's sections that look into the model and break it, as one file (see rows.ts).

import '../elements/sampling';
import '../elements/inside';
import '../elements/faults';
