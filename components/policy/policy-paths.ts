export const POLICY_PATH = '/policy'
export const POLICY_LOG_PATH = '/policy/log'
