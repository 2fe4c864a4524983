/** What the demo wallet calls itself among the wallets of a browser. */
export const DEMO_WALLET_NAME = 'BlackDuck Demo Wallet';
