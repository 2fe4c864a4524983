import { walletOf } from '../../testing/sample-stakes.ts';

const email = 'ada@example.com';

export const OVERLAY_BODY = { cardAlias: 'Everyday', fullName: 'Ada', email, telegram: 'ada', notes: '' };

export const TEST_PAGE_BODY = {
  name: 'Ada',
  email,
  wallet: walletOf(1),
  bd_amount: 1_500_000,
  tier: 'Duckling',
};

export const V2_FORM_BODY = {
  name: 'Ada Lovelace',
  email,
  wallet: walletOf(1),
  bd_amount: '6200000',
  tier: 'Banker',
  phone: '+44 20 7946 0000',
  alias: 'Everyday',
};

export const VERIFICATION_BODY = {
  walletAddress: walletOf(1),
  userEmail: email,
  claimedStakedAmount: '1,500,000',
  requestReason: 'It is staked in another pool.',
  currentDetection: 'No BD tokens found',
  requestedAt: '2026-01-01T00:00:00.000Z',
};

export const CONTACT_BODY = {
  name: 'Ada',
  email,
  subject: 'My stake',
  category: 'staking',
  message: 'When does my lock end?',
  walletAddress: walletOf(1),
};
