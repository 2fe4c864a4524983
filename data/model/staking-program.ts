/** The staking program on Solana: Streamflow's (https://docs.streamflow.finance). */
export const STAKING_PROGRAM = 'STAKEvGqQTtzJZH6BWDcbpzXXn2BBerPAgQ3EGLN2GH';
