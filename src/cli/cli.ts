import { CommanderError } from 'commander';
import { EXIT, report } from './cli-error.ts';
import { createProgram } from './program.ts';

// Whoever read our output may have seen enough (`| head`), or have been closed with us going on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const { program, running } = createProgram();
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else process.exitCode = report(error, running()?.opts().json === true);
}
