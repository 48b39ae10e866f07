/** How grave an item is, and one finding of it. */
export type Severity = 'critical' | 'high' | 'review'
export type Level = 'critical' | 'high' | 'medium' | 'low'
