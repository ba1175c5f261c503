import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { WhyFailed } from './load-failed.tsx';

/** An action that somebody starts: not twice at the same time, and with why it failed the last time. */
export function useAction(run: () => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function act(): Promise<void> {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    await run().catch(setError);
    setBusy(false);
  }
  return { act, isBusy, error };
}

interface ActionButtonProps {
  /** Does it; what it rejects with is shown beside the button. */
  run: () => Promise<unknown>;
  kind?: 'main' | 'quiet' | 'danger';
  isSmall?: boolean;
  children: ComponentChildren;
}

/** A button that is busy while its action runs, with what went wrong beside it. */
export function ActionButton({ run, kind = 'quiet', isSmall, children }: ActionButtonProps) {
  const { act, isBusy, error } = useAction(run);
  return (
    <span class="action">
      <button
        type="button"
        class={`button ${kind}${isSmall ? ' small' : ''}`}
        aria-disabled={isBusy ? 'true' : undefined}
        aria-busy={isBusy}
        onClick={act}
      >
        {children}
      </button>
      <Problem error={error} />
    </span>
  );
}

/** Says why a call failed, if it did. */
export function Problem({ error }: { error: unknown }) {
  if (error === undefined) return null;
  return (
    <p class="problem" role="alert">
      <WhyFailed error={error} />
    </p>
  );
}
