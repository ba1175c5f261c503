import { runCommand } from './program.ts';

// The reader of a pipe may close it early (`| head`).
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

await runCommand(process.argv.slice(2));
