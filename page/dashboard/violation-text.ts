import type { InputViolation } from '../../client/client.ts';

/** A mistake in an input: `body.origins.0` and "must be an origin" become "origins.0 must be an origin". */
export function violationText({ location, message, fix = '' }: InputViolation): string {
  const field = location.replace(/^body\.?/, '');
  const isPredicate = /^[a-z]+ /.test(message);
  const sentence = isPredicate && field !== '' ? `${field} ${message}` : message;
  return fix === '' ? sentence : `${sentence}: ${fix}`;
}
