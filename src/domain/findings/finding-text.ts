/** The documentation of a code. */
export interface FindingText {
  /** One sentence, at most 100 characters; also the message where names are too long for one that names them. */
  title: string;
  /** What it means for the domain. */
  means: string;
  /** How it happens. */
  causes: string;
  fix: string;
  /** Records as in a zone file: what was seen, and what is right. */
  example?: { seen: string; right: string };
}
