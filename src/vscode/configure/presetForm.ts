import { readFields } from '../settings/readFields';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import { shownAddress } from '../texts/plainText';
import type { ConfigureWiring, SetClientSecret } from './clientSecret';
import { type Box, type Form, secretBox, type ServiceElement, takenBy } from './form';
import { fillGaps, type Gap, gapsIn, meantPart, type Preset } from './presets';
import type { ServiceList } from './serviceList';

/** Asks for what a preset leaves open. */
export class PresetForm implements Form {
  readonly #entered: Partial<Record<Gap, string>>;
  readonly #gaps: readonly Gap[];
  #secretProblem: string | undefined;
  readonly isUnreached = false;
  secret = '';

  /**
   * @param known what's in its gaps already, for the base URL that an extension asked for
   */
  constructor(
    private readonly wiring: ConfigureWiring,
    private readonly configurationTexts: ConfigurationTexts,
    private readonly secrets: SetClientSecret,
    private readonly list: ServiceList,
    private readonly preset: Preset,
    private readonly known?: Readonly<Partial<Record<Gap, string>>>,
  ) {
    this.#entered = { ...known };
    this.#gaps = gapsIn(fillGaps(preset.service, this.#entered));
  }

  get mayHaveSecret(): boolean {
    return this.preset.clientSecret === 'optional';
  }

  boxes(): Promise<readonly Box[]> {
    const secret = this.preset.clientSecret === 'required' ? [this.#secretBox()] : [];
    return Promise.resolve([...this.#gaps.map((gap) => this.#gapBox(gap)), ...secret]);
  }

  asked(): ServiceElement {
    return fillGaps(this.preset.service, this.#entered);
  }

  #gapBox(gap: Gap): Box {
    const { configurationTexts } = this;
    const { texts } = this.wiring;
    const prompt = this.#prompt(gap);
    const isAskedFor = this.known !== undefined && gap === this.#gaps[0];
    const asked = configurationTexts.askedFor({ address: shownAddress(this.asked().baseUrl) });
    return {
      prompt: isAskedFor ? texts.common.sentences(asked, prompt) : prompt,
      placeholder: configurationTexts.gaps[gap],
      validate: (text) => this.#problem(gap, text.trim()),
      take: (value) => {
        this.#entered[gap] = this.#meant(gap, value.trim()) ?? '';
        this.#secretProblem = undefined;
        return Promise.resolve('next');
      },
    };
  }

  /** Says what to enter for a gap. */
  #prompt(gap: Gap): string {
    const { enterGap, enterPart, presets } = this.configurationTexts;
    const { name, service } = this.preset;
    switch (gap) {
      case 'YOUR-CLIENT-ID':
      case 'YOUR-APPLICATION-ID':
      case 'YOUR-AUDIENCE':
        // The preset's own name says which kind of registration it's for, such as "GitHub App".
        return enterGap[gap]({ service: service.serviceName ?? presets[name] });
      default:
        return enterPart({ address: fillGaps(service.baseUrl, { ...this.#entered, [gap]: '…' }) });
    }
  }

  #secretBox(): Box {
    return {
      ...secretBox(this.wiring.texts, fillGaps(this.preset.service, this.#entered)),
      warning: this.#secretProblem,
      take: async (value) => {
        this.secret = value.trim();
        this.#secretProblem = await this.#findSecretProblem();
        return this.#secretProblem === undefined ? 'next' : 'again';
      },
    };
  }

  /** Says why nobody knows yet where the client secret may be sent; `undefined` if it's known. */
  async #findSecretProblem(): Promise<string | undefined> {
    try {
      await this.secrets.findPlaceOf(this.list.completed(this.asked()));
      return undefined;
    } catch (error) {
      return this.secrets.whyAgain(error);
    }
  }

  /** What goes into a gap if the person enters this for it; `undefined` if nothing does. */
  #meant(gap: Gap, text: string): string | undefined {
    const { baseUrl } = this.preset.service;
    return baseUrl.includes(gap) ? meantPart(fillGaps(baseUrl, { ...this.#entered, [gap]: gap }), gap, text) : text;
  }

  /** Says what's wrong with what's entered for a gap; `undefined` if nothing is. */
  #problem(gap: Gap, text: string): string | undefined {
    const { configurationTexts } = this;
    const { settings, texts } = this.wiring;
    const { service } = this.preset;
    if (text === '') {
      return texts.settings.problems.empty;
    }
    const meant = this.#meant(gap, text);
    if (meant === undefined) {
      return configurationTexts.onlyThisPart;
    }
    const filled = fillGaps(service, { ...this.#entered, [gap]: meant });
    const [problem] = readFields(filled, 'person').problems;
    return problem === undefined
      ? takenBy(settings.current.services, configurationTexts, filled.baseUrl)
      : texts.settings.advice(problem.problem);
  }
}
