import { NameplateError } from '../../client/client.ts';
import { TEXT } from './text.ts';

/** What went wrong with a call, in the API's own words, and a button to try again. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const detail = error instanceof NameplateError ? error.detail : TEXT.noConnection;
  return (
    <p class="failed" role="alert">
      {TEXT.failedToLoad} {detail}{' '}
      <button type="button" class="button quiet" onClick={onRetry}>
        {TEXT.tryAgain}
      </button>
    </p>
  );
}
