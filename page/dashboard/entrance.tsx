import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { LanguageField } from './language.tsx';
import { TEXT } from './text.ts';

interface EntranceProps {
  title: string;
  text: string;
  /** Tries again, where that may help. */
  onRetry?: (() => void) | false;
  children?: ComponentChildren;
}

/** In place of the pages: why they are not shown, and what to do. */
export function Entrance({ title, text, onRetry, children }: EntranceProps) {
  return (
    <main class="entrance">
      <section class="card" role="alert">
        <h1>{title}</h1>
        <p>{text}</p>
        {onRetry && (
          <Button kind="main" onClick={onRetry}>
            {TEXT.tryAgain}
          </Button>
        )}
        {children}
      </section>
      <LanguageField />
    </main>
  );
}

export function Opening({ text }: { text: string }) {
  return (
    <p class="opening" aria-busy="true">
      {text}
    </p>
  );
}
