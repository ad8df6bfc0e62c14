import { sameService } from '../../oauth/service';
import type { SessionInfo } from '../../sessions/sessions';
import type { Choice, List } from '../editor/quickInput';
import { plainText, shownAddress, shownService } from '../texts/plainText';
import { hasTrouble } from '../texts/sessionTexts';
import type { Texts } from '../texts/texts';
import type { AccountActions, AccountsDependencies } from './actions';
import { shownAccount } from './shownAccount';

type Action = () => Promise<void> | void;
type Line = List<Action>['choices'][number];

/** A longer detail is shown without its end, but copied as a whole. */
const LONGEST_DETAIL = 120;

/** The list of accounts as they change, with what can be done. If there's one account, it shows everything at once. */
export class StatusPage {
  constructor(
    private readonly deps: AccountsDependencies,
    private readonly actions: AccountActions,
  ) {}

  /** @param selected the ID of the only session to show, hidden or not */
  async show(selected?: string): Promise<void> {
    const chosen = await this.deps.editor.choose(() => this.#draw(selected));
    await chosen?.();
  }

  /** The list of accounts, or one account with its details; `undefined` if the selected one is gone. */
  async #draw(selected: string | undefined): Promise<List<Action> | undefined> {
    const { clock, sessions, settings, signIn } = this.deps;
    const texts = this.deps.texts.sessions;
    const { services } = settings.current;
    const isOneService = services.all.length <= 1;
    const known = await sessions.list();
    const hidden = await sessions.listHidden();
    const general = this.#generalLines(known.length > 0, isOneService, hidden);
    if (selected === undefined && !(known.length === 1 && isOneService)) {
      const toLine = (session: SessionInfo): Line =>
        accountLine(this.deps.texts, session, clock.now(), () => this.show(session.id));
      const noAccount = signIn.running ? texts.signInRunning : texts.notSignedIn;
      const placeholder = known.length === 0 ? noAccount : texts.selectAccount;
      return {
        title: texts.status,
        placeholder,
        choices: [...(isOneService ? known.map(toLine) : this.#byService(known, toLine)), ...general],
      };
    }
    const session = selected === undefined ? known[0] : [...known, ...hidden].find(({ id }) => id === selected);
    if (session === undefined) {
      return undefined;
    }
    const isHidden = hidden.includes(session);
    return {
      title: shownAccount(settings.current, this.deps.texts, session),
      placeholder: isHidden ? texts.toShow(shownService(session.service)) : texts.summary(session, clock.now()),
      choices: [
        ...this.#details(session, isHidden),
        { heading: '' },
        ...(isHidden ? this.#configureLines() : this.#renewalLines(session, () => this.show(selected))),
        { icon: 'sign-out', label: texts.signOut, value: () => this.actions.signOut(session) },
        ...(selected === undefined ? general : []),
      ],
    };
  }

  /** The accounts of each service. To one without any, it offers a sign-in. */
  #byService(known: readonly SessionInfo[], toLine: (session: SessionInfo) => Line): readonly Line[] {
    const { settings, signIn, texts } = this.deps;
    const { all, default: meantByDefault } = settings.current.services;
    return all.flatMap((one): readonly Line[] => {
      const { id, name } = one;
      const address = shownAddress(id.baseUrl);
      const own = known.filter(({ service }) => sameService(service, id));
      const toSignIn = {
        icon: 'key',
        label: texts.sessions.signInTo({ service: name }),
        description: one === meantByDefault ? `${address} · ${texts.sessions.isDefault}` : address,
        detail: texts.sessions.notSignedInYet,
        value: () => signIn.start({ services: [id.baseUrl] }),
      };
      return [{ heading: name }, ...(own.length > 0 ? own.map(toLine) : [toSignIn])];
    });
  }

  /** The settings that can't be used, those in the list of services among them, each with what leads to it. */
  #problemLines(): readonly Line[] {
    const { brand, editor, settings, texts } = this.deps;
    const { ignored, listProblems, wrong } = settings.current;
    const lines = [...wrong, ...ignored, ...listProblems].map(({ place, problem, setting }) => ({
      icon: 'warning',
      label: `${brand.prefix}.${place}`,
      detail: texts.settings.problems[problem],
      value: () => editor.run('workbench.action.openSettings', `@id:${brand.prefix}.${setting}`),
    }));
    return lines.length === 0 ? [] : [{ heading: texts.sessions.settingProblems }, ...lines];
  }

  /** What can be done whichever account there is, what's wrong with the settings, and the hidden accounts. */
  #generalLines(isSignedIn: boolean, isOneService: boolean, hidden: readonly SessionInfo[]): readonly Line[] {
    const { editor, signIn } = this.deps;
    const { buttons, sessions: texts } = this.deps.texts;
    const toSignIn: Line = { icon: 'add', label: buttons.signIn, value: () => signIn.startForPerson() };
    const toSignInToAnother: Line = {
      icon: 'add',
      label: texts.signInToAnother,
      value: () => signIn.startForPerson({ isForAnother: true }),
    };
    // If there are several services, each without an account offers a sign-in of its own.
    const signIns = isSignedIn ? [toSignInToAnother] : isOneService ? [toSignIn] : [];
    const toHiddenLine = (session: SessionInfo): Line => ({
      icon: 'eye-closed',
      label: session.account.label,
      detail: texts.toShow(shownService(session.service)),
      value: () => this.show(session.id),
    });
    return [
      { heading: '' },
      ...(signIn.running
        ? [{ icon: 'key', label: texts.showRunningSignIn, value: () => editor.runOwn('signInMenu') }]
        : signIns),
      ...this.#configureLines(),
      { icon: 'output', label: buttons.showLog, value: () => editor.runOwn('showLog') },
      ...this.#problemLines(),
      ...(hidden.length > 0 ? [{ heading: texts.notConfigured }, ...hidden.map(toHiddenLine)] : []),
    ];
  }

  /** None in a build for one service, which can't be configured. */
  #configureLines(): readonly Line[] {
    const { brand, editor, texts } = this.deps;
    const line: Line = { icon: 'gear', label: texts.buttons.configure, value: () => editor.runOwn('configure') };
    return brand.commands.includes('configure') ? [line] : [];
  }

  /**
   * What can be done with an account of the configured service, besides signing out.
   * @param again shows the page again, with what was changed
   */
  #renewalLines(session: SessionInfo, again: Action): readonly Line[] {
    const { signIn, texts } = this.deps;
    const { rename, refreshNow, signInAgain } = texts.sessions;
    const { account, canRefresh, service } = session;
    const refresh = () => this.actions.refreshNow(session).then(again);
    return [
      ...(canRefresh ? [{ icon: 'refresh', label: refreshNow, value: refresh }] : []),
      { icon: 'edit', label: rename, value: () => this.actions.rename(session).then(again) },
      {
        icon: 'key',
        label: signInAgain,
        value: () => signIn.start({ accountId: account.id, services: [service.baseUrl] }),
      },
    ];
  }

  #details(session: SessionInfo, isHidden: boolean): readonly Line[] {
    const { clock, editor } = this.deps;
    const { sessions: texts, signIn } = this.deps.texts;
    return [
      { heading: texts.selectToCopy },
      ...texts.details(session, clock.now(), isHidden).map(([label, value]) => ({
        label,
        description: plainText(value, LONGEST_DETAIL),
        value: async () => {
          await editor.copy(value);
          editor.showStatusMessage(signIn.news.copied);
        },
      })),
    ];
  }
}

/**
 * An account in a list: whose it is, and how it is.
 * @param where its service, if the list has accounts of several
 */
export function accountLine(
  { sessions: texts }: Pick<Texts, 'sessions'>,
  session: SessionInfo,
  now: number,
  value: Action,
  where?: string,
): Choice<Action> {
  const { account, service, userName } = session;
  // The account may have the user's name, alone or with that of its service: it doesn't have to be said twice.
  const isSaid = userName === account.label || account.label.startsWith(`${userName} (`);
  const user = isSaid ? undefined : userName;
  const description = [user, where].filter((part) => part !== undefined).join(' · ') || shownAddress(service.baseUrl);
  return {
    icon: hasTrouble(session) ? 'warning' : 'account',
    label: account.label,
    description: plainText(description, LONGEST_DETAIL),
    detail: texts.summary(session, now),
    value,
  };
}
