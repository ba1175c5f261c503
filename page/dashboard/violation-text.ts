import type { InputViolation } from '../../client/client.ts';

/**
 * A mistake in an input, as sentences: `body.origins.0` and "must be an origin" become "origins.0 must be an origin." `subject`: the field,
 * where the reader sees which one it is.
 */
export function violationText(
  { location, message, fix = '' }: InputViolation,
  subject = location.replace(/^body\.?/, ''),
): string {
  const isPredicate = /^[a-z]+ /.test(message) && subject !== '';
  const sentences = [
    isPredicate ? `${subject} ${message}` : message,
    fix.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase()),
  ];
  return sentences.flatMap((text) => (text === '' ? [] : /[.!?]$/.test(text) ? text : `${text}.`)).join(' ');
}
