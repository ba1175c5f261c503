import { expect, it } from 'vitest';
import { violationText } from './violation-text.ts';

const location = 'body.origins.0';
const message = 'must be an origin';

it.each([
  ['names its field', { location, message }, undefined, 'origins.0 must be an origin.'],
  [
    'says how to correct it',
    { location, message, fix: 'write https://app.example.net' },
    undefined,
    'origins.0 must be an origin. Write https://app.example.net.',
  ],
  ['names no field that the reader sees', { location, message }, 'It', 'It must be an origin.'],
  ['may be a sentence already', { location: 'body', message: 'The body is empty.' }, undefined, 'The body is empty.'],
])('a mistake %s', (_, violation, subject, text) => {
  expect(violationText(violation, subject)).toBe(text);
});
