/** How many cards are issued in all. */
export const CARD_LIMIT = 250;
/** What a top-up costs, in percent of its amount. */
export const TOP_UP_FEE_PERCENT = '4.5';
