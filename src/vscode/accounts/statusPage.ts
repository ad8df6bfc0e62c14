import { type SessionInfo, sessionsOf } from '../../sessions/currentSession';
import { serviceDescription } from '../services/serviceChoice';
import type { Choice, List } from '../editor/quickInput';
import { addressBeside, hasLabel, plainText, withoutService } from '../texts/plainText';
import type { AccountActions, AccountsWiring } from './actions';

type Action = () => Promise<void> | void;
type Line = List<Action>['choices'][number];

/** A longer detail is shown without its end, but copied as a whole. */
const LONGEST_DETAIL = 120;

/** Something that can be done with an account, by the name of its text. */
interface AccountAction {
  readonly name: 'refreshNow' | 'rename' | 'signInAgain' | 'manageTrust' | 'signOut';
  readonly icon: string;
  /** Whether the page is shown again afterward, with what was changed. */
  readonly comesBack: boolean;
  /** Whether an account is offered it, which may be hidden. */
  readonly isOffered: (session: SessionInfo, isHidden: boolean, canManageTrust: boolean) => boolean;
  readonly run: (session: SessionInfo, actions: AccountActions, wiring: AccountsWiring) => Promise<void>;
}

/** What can be done with an account, in this order. */
export const ACCOUNT_ACTIONS: readonly AccountAction[] = [
  {
    name: 'refreshNow',
    icon: 'refresh',
    comesBack: true,
    isOffered: ({ canRefresh }, isHidden) => canRefresh && !isHidden,
    run: (session, actions) => actions.refreshNow(session),
  },
  {
    name: 'rename',
    icon: 'edit',
    comesBack: true,
    isOffered: (_, isHidden) => !isHidden,
    run: (session, actions) => actions.rename(session),
  },
  {
    name: 'signInAgain',
    icon: 'key',
    comesBack: false,
    isOffered: (_, isHidden) => !isHidden,
    run: ({ account, service }, _, { signIn }) => signIn.start({ accountId: account.id, services: [service.baseUrl] }),
  },
  {
    name: 'manageTrust',
    icon: 'shield',
    comesBack: false,
    isOffered: (_, isHidden, canManageTrust) => canManageTrust && !isHidden,
    run: ({ account }, _, { editor }) => editor.manageTrust(account.label),
  },
  {
    name: 'signOut',
    icon: 'sign-out',
    comesBack: false,
    isOffered: () => true,
    run: (session, actions) => actions.signOut(session),
  },
];

/** The list of accounts as they change, with what can be done. If there's one account, it shows everything at once. */
export class StatusPage {
  #canManageTrust = false;

  constructor(
    private readonly wiring: AccountsWiring,
    private readonly actions: AccountActions,
  ) {}

  /** @param selected the ID of the only session to show, hidden or not */
  async show(selected?: string): Promise<void> {
    const { editor } = this.wiring;
    this.#canManageTrust = await editor.canManageTrust();
    const chosen = await editor.choose(() => this.#draw(selected));
    await chosen?.();
  }

  /** The list of accounts, or one account with its details; `undefined` if the selected one is gone. */
  async #draw(selected: string | undefined): Promise<List<Action> | undefined> {
    const { sessions } = this.wiring;
    const known = await sessions.list();
    const hidden = await sessions.listHidden();
    if (selected !== undefined) {
      const session = [...known, ...hidden].find(({ id }) => id === selected);
      return session && this.#account(session, hidden.includes(session), () => this.show(selected));
    }
    const further = [...this.#generalLines(known.length > 0), ...this.#hiddenLines(hidden)];
    const [first, ...others] = known;
    return first !== undefined && others.length === 0 && this.#hasOneService
      ? this.#account(first, false, () => this.show(), further)
      : this.#overview(known, further);
  }

  get #hasOneService(): boolean {
    return this.wiring.settings.current.services.all.length <= 1;
  }

  /** All accounts that are known, each with what leads to its details. */
  #overview(known: readonly SessionInfo[], further: readonly Line[]): List<Action> {
    const { settings, signIn, texts } = this.wiring;
    const { noServiceYet, notSignedIn, selectAccountOrService, selectForDetails, signInRunning, status } =
      texts.sessions;
    const { all } = settings.current.services;
    const nobody = all.length === 0 ? noServiceYet : notSignedIn;
    const noAccount = signIn.isRunning ? signInRunning : nobody;
    const accounts = this.#hasOneService
      ? known.map((session) => ({ ...accountLine(this.wiring, session), value: () => this.show(session.id) }))
      : this.#byService(known);
    const allHaveAccounts = all.every(({ id }) => sessionsOf(known, id).length > 0);
    const select = allHaveAccounts ? selectForDetails : selectAccountOrService;
    return {
      title: status,
      placeholder: known.length === 0 ? noAccount : select,
      choices: [...accounts, ...further],
    };
  }

  /**
   * One account with its details, and what can be done with it.
   * @param again shows the page again, with what was changed
   */
  #account(session: SessionInfo, isHidden: boolean, again: Action, further: readonly Line[] = []): List<Action> {
    const { clock, names, texts } = this.wiring;
    const { summary } = texts.sessions;
    return {
      title: names.of(session),
      placeholder: isHidden ? names.howToShow(session.service) : summary(session, clock.now()),
      choices: [
        ...this.#details(session, isHidden),
        { heading: '' },
        ...(isHidden ? this.#configureLines() : []),
        ...this.#actionLines(session, isHidden, again),
        ...further,
      ],
    };
  }

  /** The accounts of each service. To one without any, it offers a sign-in. */
  #byService(known: readonly SessionInfo[]): readonly Line[] {
    const { settings, signIn, texts } = this.wiring;
    const { services } = settings.current;
    const toLine = (session: SessionInfo): Line => ({
      ...accountLine(this.wiring, session),
      value: () => this.show(session.id),
    });
    return services.all.flatMap((one): readonly Line[] => {
      const { id, name } = one;
      const own = sessionsOf(known, id);
      const toSignIn = {
        icon: one.blocking.length > 0 ? 'warning' : 'key',
        label: texts.sessions.signInTo({ service: name }),
        description: serviceDescription(texts, services, one),
        detail: texts.sessions.notSignedInYet,
        value: () => signIn.start({ services: [id.baseUrl] }),
      };
      return [{ heading: name }, ...(own.length > 0 ? own.map(toLine) : [toSignIn])];
    });
  }

  /** The settings that can't be used, those in the list of services among them, each with what leads to it. */
  #problemLines(): readonly Line[] {
    const { brand, messages, settings, texts } = this.wiring;
    const lines = settings.current.problems.map(({ place, problem }) => ({
      icon: 'warning',
      label: `${brand.prefix}.${place}`,
      detail: texts.settings.advice(problem),
      value: () => messages.openServices(),
    }));
    return lines.length === 0 ? [] : [{ heading: texts.sessions.settingProblems }, ...lines];
  }

  /** What can be done whichever account there is, and what's wrong with the settings. */
  #generalLines(isSignedIn: boolean): readonly Line[] {
    const { editor, texts } = this.wiring;
    return [
      { heading: '' },
      ...this.#signInLines(isSignedIn),
      ...this.#configureLines(),
      { icon: 'output', label: texts.buttons.showLog, value: () => editor.runOwn('showLog') },
      ...this.#problemLines(),
    ];
  }

  #signInLines(isSignedIn: boolean): readonly Line[] {
    const { signIn, texts } = this.wiring;
    const { showRunningSignIn, signInToAnother } = texts.sessions;
    if (signIn.isRunning) {
      return [{ icon: 'key', label: showRunningSignIn, value: () => signIn.start() }];
    }
    if (isSignedIn) {
      return [
        { icon: 'add', label: signInToAnother, value: () => signIn.startAtChosenService({ isForAnother: true }) },
      ];
    }
    // If there are several services, each without an account offers a sign-in of its own.
    return this.#hasOneService
      ? [{ icon: 'add', label: texts.buttons.signIn, value: () => signIn.startAtChosenService() }]
      : [];
  }

  #hiddenLines(hidden: readonly SessionInfo[]): readonly Line[] {
    const { names, texts } = this.wiring;
    const lines = hidden.map((session) => ({
      icon: 'eye-closed',
      label: session.account.label,
      detail: names.howToShow(session.service),
      value: () => this.show(session.id),
    }));
    return lines.length === 0 ? [] : [{ heading: texts.sessions.notConfigured }, ...lines];
  }

  /** None in a build for one service, which can't be configured. */
  #configureLines(): readonly Line[] {
    const { brand, editor, texts } = this.wiring;
    const line: Line = { icon: 'gear', label: texts.buttons.configure, value: () => editor.runOwn('configure') };
    return brand.commands.includes('configure') ? [line] : [];
  }

  /** @param again shows the page again, with what was changed */
  #actionLines(session: SessionInfo, isHidden: boolean, again: Action): readonly Line[] {
    const offered = ACCOUNT_ACTIONS.filter(({ isOffered }) => isOffered(session, isHidden, this.#canManageTrust));
    return offered.map(({ comesBack, icon, name, run }) => ({
      icon,
      label: this.wiring.texts.sessions[name],
      value: async () => {
        await run(session, this.actions, this.wiring);
        if (comesBack) {
          await again();
        }
      },
    }));
  }

  #details(session: SessionInfo, isHidden: boolean): readonly Line[] {
    const { clock, editor } = this.wiring;
    const { sessions: texts, signIn } = this.wiring.texts;
    return [
      { heading: texts.selectToCopy },
      ...texts.details(session, clock.now(), isHidden).map(({ copied, name, shown }) => ({
        label: name,
        description: plainText(shown, LONGEST_DETAIL),
        value: async () => {
          await editor.copy(copied);
          editor.showStatusMessage(signIn.news.copied);
        },
      })),
    ];
  }
}

/**
 * An account in a list: whose it is, and how it is. Nothing is said twice.
 * @param namesService whether it says of which service it is, because nothing else does
 */
export function accountLine(
  { clock, names, texts }: Pick<AccountsWiring, 'clock' | 'names' | 'texts'>,
  session: SessionInfo,
  { namesService = false }: { readonly namesService?: boolean } = {},
): Omit<Choice<unknown>, 'value'> {
  const { account, service, userName = '' } = session;
  const serviceName = names.ofService(service);
  const label = withoutService(account.label, serviceName);
  const description = [
    hasLabel(label, userName) ? '' : userName,
    namesService && !hasLabel(label, serviceName) ? serviceName : '',
    addressBeside(serviceName, service.baseUrl),
  ].filter((part) => part !== '');
  return {
    icon: session.standing === 'fine' ? 'account' : 'warning',
    label,
    description: plainText(description.join(' · '), LONGEST_DETAIL),
    detail: texts.sessions.summary(session, clock.now()),
  };
}
