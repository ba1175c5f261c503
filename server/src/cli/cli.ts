// The program as an image has it: without the commands of the playground.
import { runProgram } from './program.ts';

await runProgram();
