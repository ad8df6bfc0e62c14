import type { Protocol } from '../../../src/oauth/service';

/** What a service gives with its tokens, and what it does if a refresh token is used again. */
export interface Policy {
  /** The dialect that the service speaks. */
  readonly protocol: Protocol;
  /** How long after its first use a refresh token still works. Milliseconds. */
  readonly graceTime: number;
  /** What a use after that ends: nothing but the request, or everything that came of the sign-in. */
  readonly reuseEnds: 'nothing' | 'family';
  /** Whether a refresh brings another refresh token, or the first one stays, or there never is one. */
  readonly refreshTokens: 'new' | 'kept' | 'none';
  /** Whether the responses say when access tokens expire. */
  readonly tellsExpiry: boolean;
  /** How long a refresh token lives. Milliseconds. */
  readonly refreshTokenLife: number;
  /** How long the client waits for the response to a refresh. Milliseconds. */
  readonly timeLimit: number;
}

const DAY = 24 * 60 * 60 * 1000;

const DRAFT: Policy = {
  protocol: 'draft',
  graceTime: 0,
  reuseEnds: 'nothing',
  refreshTokens: 'new',
  tellsExpiry: true,
  refreshTokenLife: 30 * DAY,
  timeLimit: 120_000,
};
const STANDARD: Policy = { ...DRAFT, protocol: 'rfc8628', refreshTokenLife: Infinity, timeLimit: 20_000 };

/** What services do with refresh tokens: that of the draft dialect, and those of the standard. */
export const POLICIES = {
  draft: DRAFT,
  /** Google, and Keycloak by default. */
  'no-rotation': { ...STANDARD, graceTime: Number.POSITIVE_INFINITY, refreshTokens: 'kept' },
  /** Entra. */
  'old-works': { ...STANDARD, graceTime: Number.POSITIVE_INFINITY },
  /** GitHub Apps, GitLab. */
  rotate: STANDARD,
  /** Okta, and Auth0 if configured. */
  grace: { ...STANDARD, graceTime: 30_000, reuseEnds: 'family' },
  /** Auth0, Hydra. */
  'reuse-detection': { ...STANDARD, reuseEnds: 'family' },
  /** Services that give refresh tokens only if asked for them. */
  'no-refresh-token': { ...STANDARD, refreshTokens: 'none' },
  'no-expiry': { ...STANDARD, tellsExpiry: false },
  /** GitHub OAuth apps. */
  'access-token-only': { ...STANDARD, refreshTokens: 'none', tellsExpiry: false },
} as const satisfies Record<string, Policy>;

/** One of `POLICIES`. */
export type PolicyName = keyof typeof POLICIES;
