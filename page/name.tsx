import { unicodeForm } from './names.ts';
import { TEXT } from './text.ts';

/** A domain: in Unicode and, since that is what DNS has, in Punycode. Each on its own in text of another direction. */
export function Name({ name }: { name: string }) {
  const unicode = unicodeForm(name);
  if (unicode === null) return <bdi class="name">{name}</bdi>;
  return (
    <>
      <bdi class="name">{unicode}</bdi>{' '}
      <span class="punycode">
        {TEXT.punycode} <bdi>{name}</bdi>
      </span>
    </>
  );
}
