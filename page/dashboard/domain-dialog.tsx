import type { ComponentChildren } from 'preact';
import type { Site } from '../../client/client.ts';
import { ActionButton } from './action-button.tsx';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { TEXT } from './text.ts';
import { useToast } from './toast.tsx';

export interface ActionProps {
  site: Site;
  onClose: () => void;
  onChange: () => void;
}

interface ActionDialogProps {
  title: string;
  text: string;
  /** On the button. */
  label: string;
  operation: string;
  input: object;
  command: readonly string[];
  kind?: 'main' | 'danger';
  isDisabled?: boolean;
  /** Returns the result to show, if any. */
  run: () => Promise<unknown>;
  onClose: () => void;
  children?: ComponentChildren;
}

/** Asks for what an action needs, and shows its call. It stays open after an error, with all that was typed. */
export function ActionDialog({
  title,
  text,
  label,
  operation,
  input,
  command,
  kind = 'main',
  isDisabled = false,
  run,
  onClose,
  children,
}: ActionDialogProps) {
  const toast = useToast();
  const act = async () => {
    const result = await run();
    if (typeof result === 'string') toast({ text: result });
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {children}
      <Command operation={operation} input={input} command={command} />
      <div class="actions">
        <ActionButton kind={kind} run={act} isDisabled={isDisabled}>
          {label}
        </ActionButton>
        <button type="button" class="button quiet" onClick={onClose}>
          {TEXT.cancel}
        </button>
      </div>
    </Dialog>
  );
}
