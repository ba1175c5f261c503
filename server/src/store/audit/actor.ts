const MAX_CHARACTERS = 255;

/** Who did something, as it can be stored: the subject of a dashboard token is any text, and PostgreSQL cannot keep U+0000. */
export function storableActor(actor: string | null): string | null {
  return actor === null ? null : actor.slice(0, MAX_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
}
