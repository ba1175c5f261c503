import { Fragment } from 'preact';

/** A value to be copied or compared. A long one breaks behind its dots first, and what is copied has no breaks. */
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

/** A text of the API, shown as it is: values in it are marked by backticks. It may hold what strangers published, so it is text alone. */
export function Prose({ text }: { text: string }) {
  return <p>{text.split('`').map((part, at) => (at % 2 === 1 ? <Code key={at} text={part} /> : part))}</p>;
}
