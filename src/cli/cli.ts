import { runCommand } from './run-command.ts';

// Whoever read our output may have seen enough (`| head`), or have been closed with us going on.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

await runCommand(process.argv.slice(2));
