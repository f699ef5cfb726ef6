/** Keys that people have in their files from the convention, and that this version does nothing with. They stay where they are. */

export const conventionKeys: ReadonlySet<string> = new Set(
  `advisorModel allowAllClaudeAiMcps allowedChannelPlugins allowedMcpServers allowedProviders
  appendPlugins attribution autoConnectIde autoContinueAtUsageLimit
  autoMemoryDirectory autoMode autoUpdatesChannel awsAuthRefresh
  awsCredentialExport bashEditDiffEnabled blockedMarketplaces browserExternalPageTools channelsEnabled
  companyAnnouncements crossSessionInbound defaultShell deniedMcpServers dialogExpiry diffTool
  disableClaudeAiConnectors disableSideloadFlags
  disableWindowsBashCommandSplit disabledMcpjsonServers editorMode enableAllProjectMcpServers
  enabledMcpjsonServers fastMode fastModePerSessionOptIn
  feedbackSurveyRate forceLoginMethod forceLoginOrgUUID forceRemoteSettingsRefresh
  gcpAuthRefresh idleCompaction includeCoAuthoredBy isolatePeerMachines managedMcpServers managedSourcesBehavior
  minimumVersion modelOverrides modelPicker modelSettings
  parentSettingsBehavior policyHelper precomputeCompactionEnabled prefersReducedMotion preferredNotifChannel
  prependPlugins proxyAuthHelper remoteControlAtStartup requiredMaximumVersion requiredMinimumVersion respondToBashCommands
  showThinkingSummaries showTurnDuration
  skipAutoPermissionPrompt skipDangerousModePermissionPrompt skipWebFetchPreflight spinnerTipsEnabled spinnerTipsOverride
  spinnerVerbs strictKnownMarketplaces strictPluginOnlyCustomization subagentStatusLine
  switchModelsOnFlag syncClaudeAiSkills teammateMode terminalProgressBarEnabled terminalTitleFromRename theme
  todoFeatureEnabled tui ultracode useAutoModeDuringPlan verbose viewMode vimInsertModeRemaps voice workflowSizeGuideline`.split(
    /\s+/u,
  ),
);

export const conventionPermissionKeys: ReadonlySet<string> = new Set(
  `workingDirectoriesAsGiven workingDirectoriesExclude`.split(/\s+/u),
);

export const conventionWorktreeKeys: ReadonlySet<string> = new Set([
  "baseRef",
  "bgIsolation",
  "location",
  "sparsePaths",
]);
