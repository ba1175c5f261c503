import { closeSync, writeSync } from 'node:fs';

/** What a successor says to the process that started it. Processes of two releases exchange it: kinds and fields are only added. */
export type SuccessorMessage = { kind: 'ready' } | { kind: 'failed'; reason: string };

/** The process that this one replaces accepts no more connections from now on, and drains. */
export function tellReady(): Promise<void> {
  return tell({ kind: 'ready' });
}

/** This process does not take over: the one before goes on. */
export function tellFailed(reason: string): Promise<void> {
  return tell({ kind: 'failed', reason });
}

/** Resolves when it is sent, or nobody is there any more. */
async function tell(message: SuccessorMessage): Promise<void> {
  if (process.send === undefined || !process.connected) return;
  await new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
  if (process.connected) process.disconnect();
}

/** The pipe to the first process, which waits for the last one. */
export interface Lifeline {
  /** This process serves from now on. At its end it says with which code. */
  serve(): void;
  /** Another process serves from now on. */
  leave(): void;
}

export function lifelineOn(fd: number): Lifeline {
  const say = (line: string) => {
    try {
      writeSync(fd, line);
    } catch {
      // The first process has ended: nobody waits.
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
