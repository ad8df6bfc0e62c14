import type { OAuthClient } from '../../oauth/types';
import { NetworkError } from '../../oauth/errors';
import type { ServiceId } from '../../oauth/service';
import { describeFailure } from '../failures/describeFailure';
import type { Choice } from '../editor/quickInput';
import type { Protocol } from '../settings/fieldKinds';
import type { ConfiguredService } from '../settings/service';
import { validateBaseUrl, validateIssuer, validateText, withScheme } from '../settings/validate';
import { shownAddress } from '../texts/plainText';
import type { Box } from './boxes';
import { problemText, secretBox } from './clientSecret';
import { findService, type FoundService } from './findService';
import type { Form, FormDependencies, ServiceElement } from './form';

interface AddressFormDependencies extends FormDependencies {
  readonly client: OAuthClient;
  readonly title: string;
  readonly signal?: AbortSignal | undefined;
}

/** What's known when a form for any address opens: nothing of a new service that nobody asked for. */
interface AddressFormStart {
  /** The service that's changed. */
  readonly changed?: ConfiguredService;
  /** The base URL that an extension asked for. */
  readonly meant?: string | undefined;
}

/** What it means for a secure connection that there's a server for plain HTTP: it doesn't understand the first bytes. */
const PLAIN_HTTP = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

/** A progress notification that came and went within this time would only flicker. Milliseconds. */
const A_MOMENT = 300;

/** Asks for an address, finds out what's there, and asks for the client. */
export class AddressForm implements Form {
  #baseUrl: string;
  #clientId: string;
  #protocol: Protocol;
  /** Why a sign-in at the base URL would fail. Who enters it once more wants it anyway. */
  #problem: string | undefined;
  secret = '';

  constructor(
    private readonly dependencies: AddressFormDependencies,
    private readonly start: AddressFormStart,
  ) {
    const { id } = start.changed ?? {};
    this.#baseUrl = id?.baseUrl ?? start.meant ?? '';
    this.#clientId = id?.clientId ?? '';
    this.#protocol = id?.protocol ?? 'draft';
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

  #addressBox(): Box {
    const { configurationTexts: own, takenBy, texts } = this.dependencies;
    const { meant } = this.start;
    const isMeant = meant !== undefined && this.#baseUrl === meant;
    return {
      prompt: isMeant ? own.enterMeantBaseUrl : own.enterBaseUrl,
      warning: this.#problem,
      placeholder: own.baseUrlExample,
      value: this.#baseUrl,
      validate: (text) =>
        problemText(texts, () => validateIssuer(withScheme(text))) ?? takenBy(validateBaseUrl(withScheme(text))),
      take: (value) => this.#takeAddress(validateBaseUrl(withScheme(value))),
    };
  }

  #clientBox(): Box {
    const { configurationTexts, texts } = this.dependencies;
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

  #secretBox(): Box {
    return {
      ...secretBox(this.dependencies.texts, { baseUrl: this.#baseUrl, clientId: this.#clientId }),
      take: (value) => {
        this.secret = value.trim();
        return Promise.resolve('next');
      },
    };
  }

  async #takeAddress(baseUrl: string): Promise<'next' | 'again' | 'canceled'> {
    const isSame = baseUrl === this.#baseUrl;
    const { id } = this.start.changed ?? {};
    if (baseUrl === id?.baseUrl) {
      this.#baseUrl = baseUrl;
      this.#protocol = id.protocol ?? 'draft';
      this.#problem = undefined;
      return 'next';
    }
    if (isSame && this.#problem !== undefined) {
      return await this.#takeAnyway();
    }
    const { client, configurationTexts, log, texts } = this.dependencies;
    const { problem, protocol } = await this.#showIfSlow(baseUrl, findService(client, log, baseUrl));
    this.#baseUrl = baseUrl;
    this.#protocol = protocol ?? 'draft';
    this.#problem = problem && texts.common.sentences(this.#describe(baseUrl, problem), configurationTexts.enterAgain);
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
    return 'next';
  }

  async #chooseProtocol(): Promise<Protocol | undefined> {
    const { configurationTexts, editor, signal, title } = this.dependencies;
    const { draftProtocol, standardProtocol, whichProtocol } = configurationTexts;
    const choices: readonly Choice<Protocol>[] = [
      { label: standardProtocol, description: 'rfc8628', value: 'rfc8628' },
      { label: draftProtocol, description: 'draft', value: 'draft' },
    ];
    return await editor.choose({ title, placeholder: whichProtocol, choices }, signal);
  }

  /** Says what's wrong with an address. */
  #describe(baseUrl: string, problem: NonNullable<FoundService['problem']>): string {
    const { addressProblems } = this.dependencies.configurationTexts;
    const { host } = new URL(baseUrl);
    if (problem === 'no service' || problem === 'not working') {
      return addressProblems[problem]({ address: shownAddress(baseUrl) });
    }
    if (problem instanceof NetworkError && PLAIN_HTTP.includes(problem.systemCode ?? '')) {
      return addressProblems['not HTTPS']({ host });
    }
    return describeFailure(this.dependencies, problem, { service: host, baseUrl }).text;
  }

  /** Whether this client needs a secret, and there's none. @throws StoreUnavailableError */
  async #lacksSecret(): Promise<boolean> {
    const service: ServiceId = { baseUrl: this.#baseUrl, clientId: this.#clientId };
    return this.#protocol === 'draft' && (await this.dependencies.clientSecrets.get(service, true)) === undefined;
  }

  /** Shows that this base URL is being checked, unless that's done in a moment. */
  async #showIfSlow<T>(baseUrl: string, check: Promise<T>): Promise<T> {
    const { clock, configurationTexts, editor } = this.dependencies;
    const checked = new AbortController();
    const show = (): void => {
      editor.progress(configurationTexts.checking({ address: shownAddress(baseUrl) }), checked.signal);
    };
    clock.sleep(A_MOMENT, checked.signal).then(show, () => undefined);
    try {
      return await check;
    } finally {
      checked.abort();
    }
  }
}
