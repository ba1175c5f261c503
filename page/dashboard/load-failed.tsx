import { NameplateError } from '../../client/client.ts';
import { TEXT } from './text.ts';
import { violationText } from './violation-text.ts';

/** Says why a call failed, and a button to try again. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <p class="failed" role="alert">
      {TEXT.failedToLoad} <WhyFailed error={error} />{' '}
      <button type="button" class="button quiet" onClick={onRetry}>
        {TEXT.tryAgain}
      </button>
    </p>
  );
}

/** Why a call failed: in the words of the API, which are English, with the code of the error. */
export function WhyFailed({ error }: { error: unknown }) {
  if (!(error instanceof NameplateError)) return <>{TEXT.noConnection}</>;
  const { errors, detail, code } = error;
  return (
    <span lang="en" dir="ltr">
      {errors.length > 0 ? errors.map(violationText).join(' ') : detail}
      {code !== null && (
        <>
          {' '}
          <code class="code">{code}</code>
        </>
      )}
    </span>
  );
}
