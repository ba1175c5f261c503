import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnnouncer } from '../announcer.tsx';
import { WhyFailed } from './load-failed.tsx';

interface ActionButtonProps {
  /** Does it; what it rejects with is shown beside the button. */
  run: () => Promise<unknown>;
  /** Announced once it is done. */
  done?: string;
  kind?: 'main' | 'quiet' | 'danger';
  isSmall?: boolean;
  isDisabled?: boolean;
  children: ComponentChildren;
}

/** A button that is busy while its action runs, with what went wrong beside it. */
export function ActionButton({
  run,
  done,
  kind = 'main',
  isSmall = false,
  isDisabled = false,
  children,
}: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const announce = useAnnouncer();
  const isOff = isBusy || isDisabled;

  async function act(): Promise<void> {
    if (isOff) return;
    setBusy(true);
    setError(null);
    try {
      await run();
      if (done !== undefined) announce(done);
    } catch (problem) {
      if (isThere.current) setError(problem);
    }
    if (isThere.current) setBusy(false);
  }

  return (
    <span class="action">
      <button
        type="button"
        class={`button ${kind}${isSmall ? ' small' : ''}`}
        aria-disabled={isOff ? 'true' : undefined}
        aria-busy={isBusy}
        onClick={act}
      >
        {children}
      </button>
      {error !== null && <Problem error={error} />}
    </span>
  );
}

/** Says why a call failed. */
export function Problem({ error }: { error: unknown }) {
  return (
    <p class="problem" role="alert">
      <WhyFailed error={error} />
    </p>
  );
}
