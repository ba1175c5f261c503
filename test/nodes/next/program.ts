import { join } from 'node:path';

/** The next version of `bin/nameplate`: with one more migration, `9000-next`. */
export const NEXT_VERSION = join(import.meta.dirname, 'nameplate');
