import { unicodeForm } from './names.ts';
import { TEXT } from './text.ts';

/** Shows a domain in Unicode and, as the DNS has it, in Punycode. Each is isolated from text of another direction. */
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
