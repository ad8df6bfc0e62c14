import { readFields } from '../settings/readFields';
import { shownAddress } from '../texts/plainText';
import type { Box } from './boxes';
import { secretBox } from './clientSecret';
import type { Form, FormDependencies, ServiceElement } from './form';
import { fillGaps, type Gap, gapsIn, type Preset } from './presets';

/** What goes into an address as it is: a part of a host, or of a path. */
const ADDRESS_PART = /^[\w.:-]+$/;

export interface PresetFormDependencies extends FormDependencies {
  /** Says why nobody knows yet where the client secret of a service may be sent; `undefined` if it's known. */
  readonly secretProblem: (asked: ServiceElement) => Promise<string | undefined>;
}

/** Asks for what a preset leaves open. */
export class PresetForm implements Form {
  readonly #entered: Partial<Record<Gap, string>>;
  readonly #gaps: readonly Gap[];
  #secretProblem: string | undefined;
  secret = '';

  /**
   * @param known what's in its gaps already, for the base URL that an extension asked for
   */
  constructor(
    private readonly dependencies: PresetFormDependencies,
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
    const { configurationTexts, texts } = this.dependencies;
    const { baseUrl, serviceName } = this.preset.service;
    // The preset's own name says which kind of registration it's for, such as "GitHub App".
    const service = serviceName ?? configurationTexts.presets[this.preset.name];
    const label = configurationTexts.gaps[gap];
    const asked =
      this.known !== undefined && gap === this.#gaps[0]
        ? configurationTexts.askedFor({ address: shownAddress(this.asked().baseUrl) })
        : undefined;
    const prompt = baseUrl.includes(gap)
      ? configurationTexts.enterPart({ address: fillGaps(baseUrl, { ...this.#entered, [gap]: '…' }) })
      : configurationTexts.enterRegistered({ service });
    return {
      prompt: asked === undefined ? prompt : texts.common.sentences(asked, prompt),
      placeholder: label,
      validate: (text) => this.#problem(gap, text.trim()),
      take: (value) => {
        this.#entered[gap] = value.trim();
        this.#secretProblem = undefined;
        return Promise.resolve('next');
      },
    };
  }

  #secretBox(): Box {
    const { baseUrl, clientId } = fillGaps(this.preset.service, this.#entered);
    return {
      ...secretBox(this.dependencies.texts, { baseUrl, clientId }),
      warning: this.#secretProblem,
      take: async (value) => {
        this.secret = value.trim();
        this.#secretProblem = await this.dependencies.secretProblem(this.asked());
        return this.#secretProblem === undefined ? 'next' : 'again';
      },
    };
  }

  /** Says what's wrong with what's entered for a gap; `undefined` if nothing is. */
  #problem(gap: Gap, text: string): string | undefined {
    const { configurationTexts, takenBy, texts } = this.dependencies;
    const { service } = this.preset;
    if (text === '') {
      return configurationTexts.fieldRequired;
    }
    if (service.baseUrl.includes(gap) && !ADDRESS_PART.test(text)) {
      return configurationTexts.onlyThisPart;
    }
    const filled = fillGaps(service, { ...this.#entered, [gap]: text });
    const [problem] = readFields(filled, 'person').problems;
    return problem === undefined ? takenBy(filled.baseUrl) : texts.settings.advice(problem.problem);
  }
}
