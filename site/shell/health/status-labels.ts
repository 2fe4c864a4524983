import type { NetworkState } from '../../data/connection.ts';

export const STATUS_LABELS: Readonly<Record<NetworkState['status'], string>> = {
  healthy: 'All Systems Operational',
  degraded: 'Limited Connectivity',
  offline: 'Connection Issues',
};
