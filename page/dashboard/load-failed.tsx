import { NameplateError } from '../../client/client.ts';
import { Button } from './button.tsx';
import type { Loaded } from './load.ts';
import { TEXT } from './text.ts';
import { violationText } from './violation-text.ts';

/** Whether there is no such thing. */
export const isMissing = (error: unknown): boolean => error instanceof NameplateError && error.status === 404;

type LoadStateProps = Pick<Loaded<unknown>, 'data' | 'error' | 'reload'> & {
  /** Said of something that is not there. */
  missing?: string;
};

/** Says that data is loaded, or why the last attempt failed. */
export function LoadState({ data, error, reload, missing }: LoadStateProps) {
  if (missing !== undefined && isMissing(error)) return <p class="empty">{missing}</p>;
  if (error !== undefined) return <LoadFailed error={error} onRetry={reload} />;
  return data === undefined ? <p aria-busy="true">{TEXT.loading}</p> : null;
}

/** Says why a call failed, and a button to try again. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <p class="failed" role="alert">
      {TEXT.failedToLoad} <WhyFailed error={error} /> <Button onClick={onRetry}>{TEXT.tryAgain}</Button>
    </p>
  );
}

/** Why a call failed: in the words of the API, which are English, with the code of the error. */
export function WhyFailed({ error }: { error: unknown }) {
  if (!(error instanceof NameplateError)) return <>{TEXT.noConnection}</>;
  const { errors, detail, code } = error;
  return (
    <span lang="en" dir="ltr">
      {errors.length > 0 ? errors.map((each) => violationText(each)).join(' ') : detail}{' '}
      {code !== null && <code class="code">{code}</code>}
    </span>
  );
}
