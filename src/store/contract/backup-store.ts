export interface BackupStore {
  /** Says that there is a backup of the store as it was then. That backup has the time of the one before: whoever restores it has no newer one. */
  recordBackup(at: number): Promise<void>;
  /** Of which time the last backup is that was recorded; null: none was. */
  findLastBackup(): Promise<number | null>;
}
