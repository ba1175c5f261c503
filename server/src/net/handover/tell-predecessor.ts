import { closeSync, writeSync } from 'node:fs';

/**
 * A successor's message to the process that started it. Processes of two releases exchange it: kinds and fields are
 * only added.
 */
export type SuccessorMessage = { kind: 'ready' } | { kind: 'failed'; reason: string };

/** Tells the process that this one replaces to accept no more connections, and to drain. */
export function tellReady(): Promise<void> {
  return tell({ kind: 'ready' });
}

/** Tells the process before that this one does not take over. */
export function tellFailed(reason: string): Promise<void> {
  return tell({ kind: 'failed', reason });
}

/** Resolves when the message is sent, or its reader has gone. */
async function tell(message: SuccessorMessage): Promise<void> {
  if (process.send === undefined || !process.connected) return;
  await new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
  if (process.connected) process.disconnect();
}

/** The pipe to the first process, which waits until the last one ends. */
export interface Lifeline {
  /** Says that this process serves from now on. At its end it reports its exit code. */
  serve(): void;
  /** Says that another process serves from now on. */
  leave(): void;
}

export function lifelineOn(fd: number): Lifeline {
  const say = (line: string) => {
    try {
      writeSync(fd, line);
    } catch {
      // The first process has ended, so no process waits.
    }
  };
  const sayExit = (code: number) => say(`exit ${code}\n`);
  return {
    serve() {
      say(`pid ${process.pid}\n`);
      process.on('exit', sayExit);
    },
    leave() {
      process.off('exit', sayExit);
      closeSync(fd);
    },
  };
}
