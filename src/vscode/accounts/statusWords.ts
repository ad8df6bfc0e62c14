import type { l10n } from 'vscode';
import type { SessionInfo } from '../../sessions/sessions';
import type { RefreshOutcome } from '../../storage/record';
import type { Moments } from '../words/moments';

type L10n = Pick<typeof l10n, 't'>;

/** The refresh token's validity in milliseconds (specification 8). For people only: the service has the last word. */
const REFRESH_TOKEN_VALIDITY = 30 * 24 * 60 * 60 * 1000;

/** Something that is known of a sign-in. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** What there is to know of a session. */
export function facts(l10n: L10n, session: SessionInfo, moments: Moments): readonly Fact[] {
  const { service, lastRefresh } = session;
  const moment = (time: number): string =>
    l10n.t({
      message: '{0} ({1})',
      args: [moments.date(time), moments.distance(time)],
      comment: ['{0} is a date and time', '{1} is how far away that is, such as “in 42 minutes” or “3 days ago”'],
    });
  return [
    { name: l10n.t('Signed in'), value: moment(session.signedInAt) },
    { name: l10n.t('Token good until'), value: moment(session.expiresAt) },
    { name: l10n.t('Next refresh'), value: moment(session.nextRefreshAt) },
    {
      name: l10n.t('Last refresh'),
      value:
        lastRefresh === undefined
          ? l10n.t({ message: 'none yet', comment: ['Follows after “Last refresh”'] })
          : l10n.t({
              message: '{0} ({1}): {2}',
              args: [
                moments.date(lastRefresh.at),
                moments.distance(lastRefresh.at),
                outcomeInWords(l10n, lastRefresh.outcome),
              ],
              comment: [
                '{0} is a date and time',
                '{1} is how far away that is, such as “3 minutes ago”',
                '{2} is how the refresh ended, such as “done”',
              ],
            }),
    },
    { name: l10n.t('Ends, if not refreshed'), value: moment(session.obtainedAt + REFRESH_TOKEN_VALIDITY) },
    { name: l10n.t('Service'), value: service.baseUrl },
    { name: l10n.t('Client ID'), value: service.clientId },
  ];
}

/** A session in one short line. */
export function summary(l10n: L10n, session: SessionInfo, moments: Moments): string {
  return needsAttention(session)
    ? l10n.t({
        message: 'The last refresh failed; the token is good until {0}.',
        args: [moments.date(session.expiresAt)],
        comment: ['{0} is a date and time'],
      })
    : l10n.t({
        message: 'Signed in {0}; the next refresh is {1}.',
        args: [moments.distance(session.signedInAt), moments.distance(session.nextRefreshAt)],
        comment: ['{0} is a length of time, such as “3 days ago”', '{1} is one such as “in 42 minutes”'],
      });
}

/** Whether the last refresh did not bring a new token. */
export function needsAttention({ lastRefresh }: SessionInfo): boolean {
  return lastRefresh !== undefined && lastRefresh.outcome !== 'refreshed';
}

function outcomeInWords(l10n: L10n, outcome: RefreshOutcome): string {
  switch (outcome) {
    case 'refreshed':
      return l10n.t({ message: 'done', comment: ['How a refresh ended; follows after a date and a colon'] });
    case 'no response':
      return l10n.t({
        message: 'the service did not answer',
        comment: ['How a refresh ended; follows after a date and a colon'],
      });
    case 'not sent':
      return l10n.t({
        message: 'the service could not be reached',
        comment: ['How a refresh ended; follows after a date and a colon'],
      });
    case 'refused':
      return l10n.t({
        message: 'the service refused',
        comment: ['How a refresh ended; follows after a date and a colon'],
      });
    case 'incomplete':
    case 'invalid response':
      return l10n.t({
        message: 'the answer could not be understood',
        comment: ['How a refresh ended; follows after a date and a colon'],
      });
    case 'not stored':
      return l10n.t({
        message: 'the disk refused',
        comment: ['How a refresh ended; follows after a date and a colon'],
      });
  }
}
