// The program with all of its commands: those of the server, and those of the playground.
import { runProgram } from '../server/src/cli/program.ts';
import { PLAYGROUND_COMMANDS } from './commands.ts';

await runProgram(PLAYGROUND_COMMANDS);
