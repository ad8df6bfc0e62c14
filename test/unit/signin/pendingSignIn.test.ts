import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { receivedNow } from '../../../src/signin/receivedCode';
import { PendingSignIns, type PendingSignIn, type ResumedSignIn } from '../../../src/signin/pendingSignIn';
import type { ServiceId } from '../../../src/oauth/service';
import { storeKey, type StoreKey } from '../../../src/storage/cipher';
import { Sealing } from '../../../src/storage/sealing';
import { FakeClock } from '../../support/fakeClock';
import { MemoryLocks, MemoryRows } from '../../support/memory';
import { RecordingLog } from '../../support/recordingLog';
import { deviceCode } from './scriptedClient';

const ROW = 'pendingSignIn';
const service: ServiceId = { baseUrl: 'https://service.example', clientId: 'the client', protocol: 'draft' };
const request = {
  accountLabel: 'Ada of the pending sign-in',
  accountId: 'one',
  awaitedByEditorUntil: 300_000,
  scopes: 'a b',
};

/** Guards that a sign-in survives its window, in one window at a time. */
describe('a sign-in that outlives its window', () => {
  const key = storeKey(randomBytes(32));
  let clock: FakeClock;
  let rows: MemoryRows;
  let log: RecordingLog;
  let locks: MemoryLocks;

  beforeEach(() => {
    clock = new FakeClock();
    rows = new MemoryRows();
    log = new RecordingLog();
    locks = new MemoryLocks();
  });

  interface Window {
    readonly pending: PendingSignIns;
    readonly sealing: Sealing;
    readonly die: () => void;
  }

  function window(windowKey: StoreKey | 'none' = key): Window {
    const own = locks.of(clock);
    const sealing = new Sealing(windowKey === 'none' ? key : windowKey, randomBytes);
    const store = windowKey === 'none' ? undefined : { rows, sealing, locks: own };
    const pending = new PendingSignIns({ clock, log, store: () => Promise.resolve(store) });
    return { pending, sealing, die: own.die };
  }

  /** A sign-in whose code is saved. */
  async function saved({ pending }: Window, code = deviceCode(), noPollBefore?: number): Promise<PendingSignIn> {
    const signIn = pending.begin(service, request);
    signIn.save({ ...receivedNow(clock, code), noPollBefore });
    await clock.advance(10_000);
    return signIn;
  }

  /** Leaves a sign-in behind, whose window is gone. */
  async function left(code = deviceCode(), noPollBefore?: number): Promise<void> {
    const first = window();
    await saved(first, code, noPollBefore);
    first.die();
  }

  /** Whether the place for a sign-in is free. */
  const isFree = async (): Promise<boolean> => (await locks.of(clock).acquire('pendingSignIn', 0)) !== undefined;

  /** What a new window takes over. */
  async function takenOver(next = window(), of = service): Promise<ResumedSignIn | undefined> {
    const taken = await next.pending.takeOver([of]);
    return taken === 'busy' ? undefined : taken;
  }

  it('is continued by the next window, with what it was for and the lifetime that is left', async () => {
    const accepted = { codeVerifier: 'not a real verifier' };
    await left(deviceCode({ expiresIn: 600, accepted }));
    clock.jump(30_000);
    const taken = await takenOver();
    assert.deepEqual(taken?.pending.authorizationRequest, service);
    assert.deepEqual(taken.pending.request, request);
    assert.deepEqual(taken.code.authorization, deviceCode({ expiresIn: 560, accepted }));
    assert.equal(await takenOver(), undefined, 'by one window only');
  });

  it("stays with its window while that's open", async () => {
    await saved(window());
    assert.equal(await window().pending.takeOver([service]), 'busy');
  });

  it('knows whether another window would continue it, as long as that waits', async () => {
    const signIn = await saved(window());
    const unsaved = await saved(window());
    assert.equal(await signIn.isClaimed(), false);
    const next = window();
    const stopClaiming = await next.pending.claim();
    assert.equal(await window().pending.claim(), undefined, 'one window is enough');
    assert.deepEqual([await signIn.isClaimed(), await unsaved.isClaimed()], [true, false]);
    stopClaiming?.();
    assert.equal(await signIn.isClaimed(), false);
  });

  for (const [what, end, endAgain] of [
    ['left to the next window', 'leaveForNextWindow', 'discard'],
    ['forgotten', 'discard', 'leaveForNextWindow'],
  ] as const) {
    it(`gives its place back when it is ${what}, new or continued`, async () => {
      const first = window();
      await (await saved(first)).leaveForNextWindow();
      const continued = await takenOver();
      await continued?.pending[end]();
      await continued?.pending[endAgain]();
      const next = await takenOver();
      assert.equal(next !== undefined, end === 'leaveForNextWindow');
      await next?.pending.discard();
      const own = await saved(window());
      await own.discard();
      assert.equal(await rows.read((stored) => stored.get(ROW)), undefined);
      assert.ok(await isFree());
    });
  }

  it('is given back and forgotten although it ends while it is being saved', async () => {
    const signIn = window().pending.begin(service, request);
    signIn.save(receivedNow(clock, deviceCode()));
    await signIn.discard();
    assert.equal(await rows.read((stored) => stored.get(ROW)), undefined);
    assert.ok(await isFree());
  });

  it('saves a new code in the place that it has taken over', async () => {
    const first = window();
    await (await saved(first)).leaveForNextWindow();
    const next = window();
    const continued = await takenOver(next);
    continued?.pending.save(receivedNow(clock, deviceCode({ userCode: 'NEW-CODE' })));
    await clock.advance(0);
    next.die();
    assert.equal((await takenOver())?.code.authorization.userCode, 'NEW-CODE');
  });

  it('keeps its place although what the service says later cannot be saved', async () => {
    const signIn = await saved(window());
    rows.fault = 'EBUSY';
    signIn.save(receivedNow(clock, deviceCode({ interval: 60 })));
    await clock.advance(0);
    rows.fault = undefined;
    assert.equal(await window().pending.takeOver([service]), 'busy');
    await signIn.discard();
    assert.equal(await rows.read((stored) => stored.get(ROW)), undefined);
    assert.ok(await isFree());
  });

  it("isn't saved while another window's sign-in has the place, and that is all", async () => {
    const first = window();
    await saved(first);
    const other = await saved(window());
    await other.discard();
    first.die();
    assert.deepEqual((await takenOver())?.pending.request, request);
    assert.match(log.text(), /isn't saved for a reload/);
  });

  it('is forgotten if its code expired while no window showed it', async () => {
    await left(deviceCode({ expiresIn: 60 }));
    clock.jump(60_000);
    assert.equal(await takenOver(), undefined);
    assert.equal(await rows.read((stored) => stored.get(ROW)), undefined);
  });

  it('has all of its lifetime left if the clock was set back, which says nothing of its age', async () => {
    await left(deviceCode({ expiresIn: 60 }));
    clock.jump(-86_400_000);
    assert.equal((await takenOver())?.code.authorization.expiresIn, 60);
  });

  it('is polled soon if the clock was set back, whatever pause the service wanted', async () => {
    await left(deviceCode({ expiresIn: 600 }), clock.monotonic() + 60_000);
    clock.jump(-3_600_000);
    assert.equal((await takenOver())?.code.noPollBefore, undefined);
  });

  it('keeps the pause that the service wanted', async () => {
    const wantedAt = clock.monotonic() + 60_000;
    await left(deviceCode({ expiresIn: 600 }), wantedAt);
    assert.equal((await takenOver())?.code.noPollBefore, wantedAt);
  });

  it('is left alone by windows that are set to another service or client', async () => {
    await left();
    for (const other of [
      { ...service, clientId: 'another' },
      { ...service, baseUrl: 'https://another.example' },
    ]) {
      assert.equal(await takenOver(window(), other), undefined);
    }
    assert.ok((await takenOver()) !== undefined);
  });

  it('shows nothing of its code on the disk', async () => {
    await saved(window());
    assert.notEqual(rows.written(), '');
    assert.doesNotMatch(rows.written(), /ABCD-1234|not a real|Ada of|service\.example/);
  });

  it("of another browser, with a key of its own, isn't continued but can be replaced", async () => {
    await left();
    const otherKey = storeKey(randomBytes(32));
    const other = window(otherKey);
    assert.equal(await takenOver(other), undefined);
    assert.equal(await takenOver(window('none')), undefined);
    await (await saved(other)).leaveForNextWindow();
    assert.equal(await takenOver(), undefined);
    assert.ok((await takenOver(window(otherKey))) !== undefined);
  });

  const whole = {
    authorizationRequest: service,
    request,
    authorization: deviceCode(),
    arrivedAt: new FakeClock().now(),
  };
  for (const [what, contents] of [
    ['is cut off', '{"header":'],
    ['is empty', ''],
    ['is of another kind', '[]'],
    ['was saved by an earlier version', { ...whole, version: 0 }],
    ['was saved by a newer version', { ...whole, version: 1_000 }],
  ] as const) {
    it(`isn’t continued if it ${what}, and the next one is saved in its place`, async () => {
      await left();
      if (typeof contents === 'string') {
        rows.damage(contents, ROW);
      } else {
        rows.damage(window().sealing.seal(ROW, {}, contents), ROW);
      }
      assert.equal(await takenOver(), undefined);
      await left(deviceCode({ userCode: 'NEXT-1' }));
      assert.equal((await takenOver())?.code.authorization.userCode, 'NEXT-1');
    });
  }

  it("that can't be written or read causes no more than a line in the log", async () => {
    rows.fault = 'ENOSPC';
    const signIn = await saved(window());
    assert.match(log.text(), /A sign-in can't be saved for a reload of the window \(ENOSPC\)/);
    await signIn.discard();
    assert.ok(await isFree(), 'its place is free');
    const broken = new PendingSignIns({ clock, log, store: () => Promise.reject(new TypeError('a secret')) });
    assert.equal(await broken.takeOver([service]), undefined);
    assert.match(log.text(), /TypeError/);
    assert.doesNotMatch(log.text(), /a secret/);
  });
});
