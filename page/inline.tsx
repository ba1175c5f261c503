import { Fragment } from 'preact';
import { partsOf } from './languages/sentence.ts';
import { unicodeForm, visible } from './names.ts';
import { TEXT } from './text.ts';

/**
 * A text that wraps after the dots of its names, and nowhere in a word that fits into a line. What is copied from it has
 * no line breaks.
 */
export function Breakable({ text }: { text: string }) {
  return visible(text)
    .split(/(?<=[.=])(?=\S)/)
    .map((part, at) => (
      <Fragment key={at}>
        {at > 0 && <wbr />}
        {part}
      </Fragment>
    ));
}

/** Shows a domain in Unicode and, as the DNS has it, in Punycode. Each is isolated from text of another direction. */
export function Name({ name }: { name: string }) {
  const unicode = unicodeForm(name);
  return (
    <>
      <bdi class="name">
        <Breakable text={unicode ?? name} />
      </bdi>
      {unicode !== null && (
        <>
          {' '}
          <span class="punycode">
            {TEXT.punycode}{' '}
            <bdi>
              <Breakable text={name} />
            </bdi>
          </span>
        </>
      )}
    </>
  );
}

/** A value to copy or compare. */
export function Code({ text }: { text: string }) {
  return (
    <code dir="ltr">
      <Breakable text={text} />
    </code>
  );
}

/**
 * Shows a text with its values. It may contain texts of strangers, so it is rendered as text alone. `lang`: where it is
 * not that of the page.
 */
export function Prose({ text, lang }: { text: string; lang?: string | undefined }) {
  return (
    <p lang={lang} dir={lang === undefined ? undefined : 'ltr'}>
      {partsOf(text).map((part, at) =>
        at % 2 === 1 ? <Code key={at} text={part} /> : <Breakable key={at} text={part} />,
      )}
    </p>
  );
}

const PATHS = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 6v7.5M12 17.5v.5',
  dots: 'M6 12h.01M12 12h.01M18 12h.01',
  none: '',
  ring: 'M12 6.5a5.5 5.5 0 1 0 .01 0z',
  clock: 'M12 4.5a7.5 7.5 0 1 0 .01 0zM12 8v4.5l3 1.5',
  lock: 'M8 11V8a4 4 0 0 1 8 0v3M6.5 11h11v8h-11z',
  external: 'M14 5h5v5M19 5l-8 8M17 14v5H5V7h5',
  copy: 'M9 9h10v10H9zM5 15V5h10',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a text that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
