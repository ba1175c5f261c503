import { NameplateError } from '../../client/client.ts';
import { TEXT } from './text.ts';

/** Says why a call failed, in the words of the API, and a button to try again. */
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
