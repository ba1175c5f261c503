import type { ComponentChildren } from 'preact';
import { Problem, useAction } from './action-button.tsx';
import { Button } from './button.tsx';
import { Command, type ShownCall } from './command.tsx';
import { useDashboard } from './context.ts';
import { Dialog } from './dialog.tsx';
import { TEXT } from './text.ts';
import { useToast } from './toast.tsx';

export interface CallDialogProps<Data> {
  title: string;
  text?: string;
  call: ShownCall;
  /** Sent in place of the shown input, which leaves a secret out. */
  sent?: object;
  /** On the button; the title unless given. */
  label?: string;
  kind?: 'main' | 'danger';
  isDisabled?: boolean;
  /** Says what was done. */
  done?(data: Data): string;
  /** Gets what the API responded; the dialog closes then. */
  onDone(data: Data): void;
  onError?(problem: unknown): void;
  onClose(): void;
  /** Fields. */
  children?: ComponentChildren;
}

/** Asks for what a call needs, and makes it. After an error it stays open, with all that was typed. */
export function CallDialog<Data>(props: CallDialogProps<Data>) {
  const { title, text, call, sent = call.input, label = title, kind = 'main', isDisabled = false } = props;
  const { done, onDone, onError, onClose, children } = props;
  const { client } = useDashboard();
  const toast = useToast();
  const { act, isBusy, error } = useAction(async () => {
    try {
      const data = await client.call<Data>(call.operation, sent);
      if (done !== undefined) toast({ text: done(data) });
      onClose();
      onDone(data);
    } catch (problem) {
      onError?.(problem);
      throw problem;
    }
  });
  const isOff = isBusy || isDisabled;
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isOff) act();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {text !== undefined && <p>{text}</p>}
        {children}
        <Problem error={error} />
        <div class="actions">
          <button type="submit" class={`button ${kind}`} aria-busy={isBusy} aria-disabled={isOff ? 'true' : undefined}>
            {label}
          </button>
          <Button onClick={onClose}>{TEXT.cancel}</Button>
        </div>
      </form>
      <Command {...call} />
    </Dialog>
  );
}
