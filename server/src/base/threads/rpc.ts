import { MessagePort, type Transferable } from 'node:worker_threads';

/**
 * Calls between two threads, over the messages of one port. Arguments and results are copied (structured clone); ports
 * are handed over.
 */
export interface Remote<Theirs extends Callable<Theirs>> {
  /** Rejects with a copy of what the method throws, or when the other side ends. */
  call<M extends keyof Theirs>(method: M, ...args: Parameters<Theirs[M]>): Promise<Awaited<ReturnType<Theirs[M]>>>;
  /** Calls a method without waiting for it. What it throws ends the other thread. */
  send<M extends keyof Theirs>(method: M, ...args: Parameters<Theirs[M]>): void;
  /** Rejects the calls in flight and all later ones. */
  end(error: Error): void;
}

/** An interface whose members are all methods. */
export type Callable<T> = { [M in keyof T]: (...args: never[]) => unknown };

/** A worker, the port to its parent, or one end of a channel. */
interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

/** `id` 0: the caller does not wait for the result. */
type Message =
  | { kind: 'call'; id: number; method: string; args: unknown[] }
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number; error: ErrorCopy };

interface ErrorCopy {
  name: string;
  message: string;
}

/** Makes an error from its copy: messages do not keep classes. */
export type Revive = (copy: ErrorCopy) => Error;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Serves `own` to the other side of the port, and returns what calls the other side. */
export function connect<Theirs extends Callable<Theirs>>(
  port: Port,
  own: object,
  revive: Revive = plainError,
): Remote<Theirs> {
  const methods = own as Record<string, (...args: unknown[]) => unknown>;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: Error | undefined;

  function post(message: Message): void {
    const ports = message.kind === 'call' ? message.args.filter((arg) => arg instanceof MessagePort) : [];
    port.postMessage(message, ports);
  }

  async function perform(method: string, args: unknown[]): Promise<unknown> {
    const found = methods[method];
    if (found === undefined) throw new Error(`the thread has no method ${method}`);
    return found(...args);
  }

  function settle(id: number, outcome: (call: Waiting) => void): void {
    const call = waiting.get(id);
    waiting.delete(id);
    if (call !== undefined) outcome(call);
  }

  port.on('message', (message) => {
    const { id } = message;
    switch (message.kind) {
      case 'call': {
        const result = perform(message.method, message.args);
        if (id === 0) break;
        result.then(
          (value) => post({ kind: 'result', id, result: value }),
          (error: unknown) => post({ kind: 'error', id, error: copyOf(error) }),
        );
        break;
      }
      case 'result':
        settle(id, ({ resolve }) => resolve(message.result));
        break;
      case 'error':
        settle(id, ({ reject }) => reject(revive(message.error)));
        break;
      default:
        message satisfies never;
    }
  });

  return {
    call<M extends keyof Theirs>(method: M, ...args: Parameters<Theirs[M]>) {
      if (ended !== undefined) return Promise.reject(ended);
      lastId += 1;
      const id = lastId;
      const result = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      post({ kind: 'call', id, method: String(method), args });
      // The other side's method of this name made it.
      return result as Promise<Awaited<ReturnType<Theirs[M]>>>;
    },
    send(method, ...args) {
      if (ended === undefined) post({ kind: 'call', id: 0, method: String(method), args });
    },
    end(error) {
      ended ??= error;
      for (const id of [...waiting.keys()]) settle(id, ({ reject }) => reject(error));
    },
  };
}

function copyOf(error: unknown): ErrorCopy {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

function plainError({ name, message }: ErrorCopy): Error {
  return Object.assign(new Error(message), { name });
}
