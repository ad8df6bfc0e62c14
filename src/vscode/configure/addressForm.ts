import { NetworkError } from '../../oauth/errors';
import type { Protocol, ServiceId } from '../../oauth/service';
import type { Choice } from '../editor/quickInput';
import type { ConfiguredService } from '../settings/service';
import { validateBaseUrl, validateIssuer, validateText, withScheme } from '../settings/validate';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import { shownAddress } from '../texts/plainText';
import type { ConfigureWiring } from './clientSecret';
import { findService, type FoundService } from './findService';
import { type Box, type Form, problemText, secretBox, type ServiceElement, takenBy } from './form';

/** What's known when a form for any address opens: nothing of a new service that nobody asked for. */
interface AddressFormStart {
  readonly title: string;
  /** The service that's changed. */
  readonly changed?: ConfiguredService;
  /** The base URL that an extension asked for. */
  readonly meant?: string | undefined;
  /** Closes it when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What it means for a secure connection that there's a server for plain HTTP: it doesn't understand the first bytes. */
const PLAIN_HTTP = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

/** A progress notification that came and went within this time would only flicker. Milliseconds. */
const A_MOMENT = 300;

/** Asks for an address, finds out what's there, and asks for the client. */
export class AddressForm implements Form {
  #baseUrl: string;
  #clientId: string;
  /** `undefined` if nobody knows it yet. */
  #protocol: Protocol | undefined;
  /** Why a sign-in at the base URL would fail. Who enters it once more wants it anyway. */
  #problem: string | undefined;
  isUnreached = false;
  secret = '';

  constructor(
    private readonly wiring: ConfigureWiring,
    private readonly configurationTexts: ConfigurationTexts,
    private readonly start: AddressFormStart,
  ) {
    const { id } = start.changed ?? {};
    this.#baseUrl = id?.baseUrl ?? start.meant ?? '';
    this.#clientId = id?.clientId ?? '';
    this.#protocol = id?.protocol;
  }

  get mayHaveSecret(): boolean {
    return this.#protocol === 'rfc8628';
  }

  async boxes(): Promise<readonly Box[]> {
    const needsSecret = this.#clientId !== '' && (await this.#lacksSecret());
    return [this.#addressBox(), this.#clientBox(), ...(needsSecret ? [this.#secretBox()] : [])];
  }

  asked(): ServiceElement {
    return { protocol: this.#protocol, baseUrl: this.#baseUrl, clientId: this.#clientId };
  }

  /** The client, if its service is one of the draft. */
  get #draftClient(): ServiceId {
    return { baseUrl: this.#baseUrl, clientId: this.#clientId, protocol: 'draft' };
  }

  #addressBox(): Box {
    const { configurationTexts: own } = this;
    const { texts } = this.wiring;
    const { meant } = this.start;
    const isMeant = meant !== undefined && this.#baseUrl === meant;
    return {
      prompt: isMeant ? own.enterMeantBaseUrl : own.enterBaseUrl,
      warning: this.#problem,
      placeholder: own.baseUrlExample,
      value: this.#baseUrl,
      validate: (text) =>
        problemText(texts, () => validateIssuer(withScheme(text))) ?? this.#takenBy(validateBaseUrl(withScheme(text))),
      take: (value) => this.#takeAddress(validateBaseUrl(withScheme(value))),
    };
  }

  #clientBox(): Box {
    const { configurationTexts } = this;
    const { texts } = this.wiring;
    return {
      prompt: configurationTexts.enterClientId,
      placeholder: configurationTexts.clientId,
      value: this.#clientId,
      validate: (text) => problemText(texts, () => validateText(text), configurationTexts.clientIdRequired),
      take: (value) => {
        this.#clientId = validateText(value);
        return Promise.resolve('next');
      },
    };
  }

  #takenBy(baseUrl: string): string | undefined {
    const isOwn = baseUrl === this.start.changed?.id.baseUrl;
    return isOwn ? undefined : takenBy(this.wiring.settings.current.services, this.configurationTexts, baseUrl);
  }

  #secretBox(): Box {
    return {
      ...secretBox(this.wiring.texts, this.#draftClient),
      take: (value) => {
        this.secret = value.trim();
        return Promise.resolve('next');
      },
    };
  }

  async #takeAddress(baseUrl: string): Promise<'next' | 'again' | 'canceled'> {
    const { id } = this.start.changed ?? {};
    this.isUnreached = false;
    if (baseUrl === id?.baseUrl) {
      this.#baseUrl = baseUrl;
      this.#protocol = id.protocol;
      this.#problem = undefined;
      return 'next';
    }
    if (baseUrl === this.#baseUrl && this.#problem !== undefined) {
      return await this.#takeAnyway();
    }
    const { client, log, texts } = this.wiring;
    const { problem, protocol } = await this.#showIfSlow(baseUrl, findService(client, log, baseUrl));
    this.#baseUrl = baseUrl;
    this.#protocol = protocol;
    this.#problem =
      problem && texts.common.sentences(this.#describe(baseUrl, problem), this.configurationTexts.enterAgain);
    return this.#problem === undefined ? 'next' : 'again';
  }

  /** The person wants an address although a sign-in there would fail. What it is they must know, unless its metadata says so. */
  async #takeAnyway(): Promise<'next' | 'canceled'> {
    const protocol = this.#protocol === 'rfc8628' ? this.#protocol : await this.#chooseProtocol();
    if (protocol === undefined) {
      return 'canceled';
    }
    this.#protocol = protocol;
    this.#problem = undefined;
    this.isUnreached = true;
    return 'next';
  }

  async #chooseProtocol(): Promise<Protocol | undefined> {
    const { signal, title } = this.start;
    const { draftProtocol, standardProtocol, whichProtocol } = this.configurationTexts;
    const choices: readonly Choice<Protocol>[] = [
      { label: standardProtocol, description: 'rfc8628', value: 'rfc8628' },
      { label: draftProtocol, description: 'draft', value: 'draft' },
    ];
    return await this.wiring.editor.choose({ title, placeholder: whichProtocol, choices }, signal);
  }

  /** Says what's wrong with an address. */
  #describe(baseUrl: string, problem: NonNullable<FoundService['problem']>): string {
    const { addressProblems } = this.configurationTexts;
    const { host } = new URL(baseUrl);
    if (problem === 'no service' || problem === 'not working') {
      return addressProblems[problem]({ address: shownAddress(baseUrl) });
    }
    if (problem instanceof NetworkError && PLAIN_HTTP.includes(problem.systemCode ?? '')) {
      return addressProblems['not HTTPS']({ host });
    }
    return this.wiring.messages.describe(problem, { service: host, baseUrl }).text;
  }

  /** Whether this client needs a secret, and there's none. @throws StoreUnavailableError */
  async #lacksSecret(): Promise<boolean> {
    const { clientSecrets } = this.wiring;
    return this.#protocol === 'draft' && (await clientSecrets.get(this.#draftClient, true)) === undefined;
  }

  /** Shows that this base URL is being checked, unless that's done in a moment. */
  async #showIfSlow<T>(baseUrl: string, check: Promise<T>): Promise<T> {
    const { clock, editor } = this.wiring;
    const checked = new AbortController();
    const show = (): void => {
      editor.progress(this.configurationTexts.checking({ address: shownAddress(baseUrl) }), checked.signal);
    };
    clock.sleep(A_MOMENT, checked.signal).then(show, () => undefined);
    try {
      return await check;
    } finally {
      checked.abort();
    }
  }
}
