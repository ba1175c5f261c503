import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { TEXT } from './text.ts';

interface DialogProps {
  title: string;
  /** Asked for by Escape or the button; the parent takes the dialog away then. */
  onClose: () => void;
  isWide?: boolean;
  children: ComponentChildren;
}

/** A dialog over the page, as long as it is rendered. The browser keeps the focus in it: at first in its first field, or on its button. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={dialog} class={isWide ? 'wide' : undefined} aria-labelledby={id} onCancel={cancel}>
      <div class="bar">
        <h2 id={id}>{title}</h2>
        <Button isSmall onClick={onClose}>
          {TEXT.close}
        </Button>
      </div>
      {children}
    </dialog>
  );
}
