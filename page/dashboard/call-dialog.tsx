import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Problem } from './action-button.tsx';
import { Command } from './command.tsx';
import { useDashboard } from './context.ts';
import { Dialog } from './dialog.tsx';
import { TEXT } from './text.ts';

/** A call of the API, with the words of the command that does the same, where there is one. */
export interface ShownCall {
  operation: string;
  input: object;
  command?: readonly string[] | undefined;
}

interface CallDialogProps<Data> {
  title: string;
  call: ShownCall;
  /** Names what the button does. */
  label: string;
  kind?: 'main' | 'danger';
  /** Gets what the API responded. */
  onDone(data: Data): void;
  onError?(problem: unknown): void;
  onClose(): void;
  /** Fields, or what a deletion takes with it. */
  children?: ComponentChildren;
}

/** Asks for what a call needs, and makes it. After an error it stays open, with all that was typed. */
export function CallDialog<Data>({
  title,
  call,
  label,
  kind = 'main',
  onDone,
  onError,
  onClose,
  children,
}: CallDialogProps<Data>) {
  const { client } = useDashboard();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(null);
    try {
      onDone(await client.call<Data>(call.operation, call.input));
    } catch (problem) {
      setError(problem);
      onError?.(problem);
      setBusy(false);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {children}
        {error !== null && <Problem error={error} />}
        <div class="actions">
          <button type="submit" class={`button ${kind}`} aria-busy={isBusy} aria-disabled={isBusy ? 'true' : undefined}>
            {label}
          </button>
          <button type="button" class="button quiet" onClick={onClose}>
            {TEXT.cancel}
          </button>
        </div>
      </form>
      <Command operation={call.operation} input={call.input} {...(call.command && { command: call.command })} />
    </Dialog>
  );
}
