-- What in this database would do something with a script's tables, though they are in a schema of their own.
SELECT format('event trigger %I would run at what the script creates', evtname) AS why
  FROM pg_event_trigger WHERE evtenabled IN ('O', 'A')
 UNION ALL
SELECT format('publication %I replicates all tables, and so the script''s', pubname) FROM pg_publication WHERE puballtables
 UNION ALL
SELECT format('replication slot %I decodes all tables, and so the script''s', slot_name)
  FROM pg_replication_slots WHERE slot_type = 'logical' AND plugin <> 'pgoutput' AND database = current_database()
