/** Keys of the convention that people have in their files and that this version ignores. They are left in place. */

export const conventionKeys: ReadonlySet<string> = new Set(
  `advisorModel agentPushNotifEnabled allowAllClaudeAiMcps allowedChannelPlugins allowedMcpServers allowedProviders
  appendPlugins attribution autoConnectIde autoContinueAtUsageLimit autoInstallIdeExtension autoMemoryDirectory autoMode
  autoScrollEnabled autoUpdatesChannel awaySummaryEnabled awsAuthRefresh awsCredentialExport
  bashEditDiffEnabled blockedMarketplaces browserExternalPageTools channelsEnabled companyAnnouncements
  crossSessionInbound defaultShell deniedMcpServers dialogExpiry diffTool disableAgentView disableArtifact
  disableBrowserExternalNavigation disableClaudeAiConnectors disableDeepLinkRegistration disableMobileSimulatorTools
  disableRemoteControl disableSideloadFlags disableWindowsBashCommandSplit disableWorkflows disabledMcpjsonServers
  emojiCompletionEnabled enableAllProjectMcpServers enableArtifact enableWorkflows enabledMcpjsonServers
  externalEditorContext fastMode fastModePerSessionOptIn feedbackSurveyRate footerLinksRegexes forceLoginGatewayUrl
  forceLoginMethod forceLoginOrgUUID forceRemoteSettingsRefresh gcpAuthRefresh idleCompaction includeCoAuthoredBy
  inputNeededNotifEnabled isolatePeerMachines keybindingFlavor managedMcpServers managedSourcesBehavior minimumVersion
  modelOverrides modelPicker modelSettings parentSettingsBehavior permissionExplainerEnabled
  pluginSuggestionMarketplaces pluginTrustMessage policyHelper prUrlTemplate precomputeCompactionEnabled
  preferredNotifChannel prefersReducedMotion prependPlugins processWrapper promptSuggestionEnabled proxyAuthHelper
  remote remoteControlAtStartup requiredMaximumVersion requiredMinimumVersion respondToBashCommands
  showClearContextOnPlanAccept showThinkingSummaries showTurnDuration skipAutoPermissionPrompt
  skipDangerousModePermissionPrompt skipWebFetchPreflight spellcheck spinnerTipsEnabled spinnerTipsOverride spinnerVerbs
  sshConfigs sshHostAllowlist strictKnownMarketplaces strictPluginOnlyCustomization subagentStatusLine
  switchModelsOnFlag syncClaudeAiSkills syntaxHighlightingDisabled teammateDefaultModel teammateMode
  terminalProgressBarEnabled terminalTitleFromRename todoFeatureEnabled tui ultracode useAutoModeDuringPlan
  verbose viewMode voice voiceEnabled wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled
  workflowSizeGuideline wslInheritsWindowsSettings`.split(/\s+/u),
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
