import { addDemo } from './demo.ts';
import { addDev } from './dev.ts';
import { addDns } from './dns-commands.ts';

/** The commands of the playground: an image of the server has none of them. */
export const PLAYGROUND_COMMANDS = [addDev, addDemo, addDns];
