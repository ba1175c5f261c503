import { Fragment } from 'preact';

/** A value to copy or compare. A long one may wrap after its dots; the copied text has no line breaks. */
export function Code({ text }: { text: string }) {
  return (
    <code dir="ltr">
      {text.split(/(?<=[.=])/).map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  );
}

/**
 * Shows a text of the API as it is: backticks mark values in it. It may contain texts of strangers, so it is rendered
 * as text alone.
 */
export function Prose({ text }: { text: string }) {
  return <p>{text.split('`').map((part, at) => (at % 2 === 1 ? <Code key={at} text={part} /> : part))}</p>;
}
