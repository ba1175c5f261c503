import { render } from 'preact';
import type { Domain } from '../client/client.ts';
import { chosenOf, speakIn } from './languages/choose.ts';
import { VOICE } from './languages/voice.ts';
import { NotLoaded } from './not-loaded.tsx';
import { Setup } from './setup.tsx';
import { isServed, type SetupState } from './setup-state.ts';
import css from './styles.css';

/**
 * `<nameplate-domain token="nps_…">`: shows the page at `/setup` inside a page of the platform. `api` is the address of
 * the API, unless this script is from there. `lang` is the language, unless an element around it has one. Events: `nameplate-status` with the domain (`detail`) at once and whenever
 * it changes; `nameplate-live` when it is served over HTTPS.
 */
class NameplateDomain extends HTMLElement {
  static readonly observedAttributes = ['api', 'lang', 'token'];
  readonly #root = this.attachShadow({ mode: 'open' });
  /** Address and token of the link that is followed. */
  #link = '';
  #domain: Domain | null = null;
  #isLive = false;
  #hasWarned = false;

  connectedCallback(): void {
    // Scripts may set styles where a policy forbids them in the document.
    this.#root.adoptedStyleSheets = [sheet];
    components.add(this);
    this.#speak();
  }

  disconnectedCallback(): void {
    components.delete(this);
    this.#link = '';
    render(null, this.#root);
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#speak();
  }

  /** All components of a page speak one language: the last that was asked for. */
  async #speak(): Promise<void> {
    const { lang = '' } = this.closest<HTMLElement>('[lang]') ?? {};
    try {
      if (!(await speakIn(chosenOf([lang, ...navigator.languages])))) return;
      for (const component of components) component.#show();
    } catch {
      // They go on in the language that they have.
      for (const component of components) {
        if (component.#root.firstChild === null) render(<NotLoaded />, component.#root);
      }
    }
  }

  #show(): void {
    const api = this.getAttribute('api') ?? HOME;
    const token = this.getAttribute('token') ?? '';
    const link = `${api} ${token}`;
    if (link !== this.#link) {
      this.#link = link;
      this.#domain = null;
      this.#isLive = false;
      this.#hasWarned = false;
    }
    // Rules of the page reach the element, and what is inherited from it would reach what is inside.
    render(
      <div class="reset" {...VOICE.attributes}>
        <Setup api={api} token={token} heading={2} isBranded={false} onChange={this.#tell} />
      </div>,
      this.#root,
    );
  }

  readonly #tell = ({ domain, certificate, link, isConnected, isCrowded }: SetupState): void => {
    const hasFailed = link === 'denied' || (link === 'opening' && !isConnected && !isCrowded);
    if (hasFailed && !this.#hasWarned) {
      this.#hasWarned = true;
      console.warn(
        `<nameplate-domain>: the API did not answer. Is ${location.origin} in the workspace's list of origins ("nameplate workspaces brand --origin", setup.setBrand)?`,
      );
    }
    if (domain !== this.#domain && domain !== null) {
      this.#domain = domain;
      this.#dispatch('nameplate-status', domain);
    }
    const isLive = domain?.status === 'verified' && isServed(certificate);
    if (isLive && !this.#isLive) this.#dispatch('nameplate-live', domain);
    this.#isLive = isLive;
  };

  #dispatch(type: string, detail: Domain | null): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

/** Those that are in the page. */
const components = new Set<NameplateDomain>();

/** This script is at `/setup/nameplate-domain.js` of the API. */
const HOME = new URL('..', import.meta.url).href;

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

if (customElements.get('nameplate-domain') === undefined) customElements.define('nameplate-domain', NameplateDomain);
