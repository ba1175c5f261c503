import { useEffect, useState } from 'preact/hooks';
import { useAnnouncer } from './announcer.tsx';
import { Icon } from './inline.tsx';
import { TEXT } from './text.ts';

const SHOWN_MS = 2_500;

/** `what`: read out after “Copy”; `label`: in place of “Copy”. */
export function CopyButton({ text, what, label = TEXT.copy }: { text: string; what: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const announce = useAnnouncer();
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy({ currentTarget }: { currentTarget: HTMLElement }): Promise<void> {
    const isDone = await copyText(text, currentTarget);
    setCopied(isDone);
    announce(isDone ? TEXT.copyDone : TEXT.copyFailed);
  }

  return (
    <button type="button" class={isCopied ? 'copy copied' : 'copy'} onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? TEXT.copied : label}
      <span class="sr">{what}</span>
    </button>
  );
}

async function copyText(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, beside);
  }
}

/** Where there is no clipboard for scripts, as over plain HTTP: copies what is selected. */
function copySelected(text: string, beside: HTMLElement): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr';
  beside.after(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  beside.focus();
  return isDone;
}
